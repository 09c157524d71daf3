// Translations are in another script, loaded before this one. If it is missing, as on a cached page, texts are in
// English.
"use strict";
if (!window.gettext)
  Object.assign(window, {
    gettext: (text) => text,
    ngettext: (one, many, count) => (Number(count) === 1 ? one : many),
    interpolate: (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name])),
  });
