"""The inventory: which types of records and which fields lie on this disk, against those that are known.

`reading` opens what stores found, `counting` counts, `known` is the schema that comes with the package, `report` puts
both together, `schema` infers a JSON Schema.  Only names, types and numbers are kept: no value of any record.
"""
