"""The inventory: the record types and fields on this disk, compared with the known ones.

`reading` opens the files of stores, `counting` counts, `known` is the schema in the package, `report` compares both,
and `schema` infers a JSON Schema.  Only names, types and numbers are kept: no value of any record.
"""
