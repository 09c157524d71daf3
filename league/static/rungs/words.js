// Scripts speak the language of their page by the script of its words, which stands before this one. Where that did not
// come (a page that was kept for a basement), they speak English.
"use strict";
if (!window.gettext)
  Object.assign(window, {
    gettext: (text) => text,
    ngettext: (one, many, count) => (Number(count) === 1 ? one : many),
    interpolate: (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name])),
  });
