"""How Django itself writes and reads numbers and days in each language: everywhere as machines do.

What people read goes through ``league.core.text.display_formats``, which knows the marks of each language. A bare
``{{ value }}`` of a template is a coordinate, an attribute or a field's value, and must not change with the reader.
"""
