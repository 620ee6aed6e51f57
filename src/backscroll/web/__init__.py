"""The local web page: a face of the library that reads only and answers only this user's browser."""
