"""Update the catalogue from the stores."""
