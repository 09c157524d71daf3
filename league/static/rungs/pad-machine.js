// What each key does on the score pad: pure functions from a state to the next one, without the page. pad.js reads the
// state from the page and shows the next one. Figures are never a name, and letters never a score: typed into the other
// kind of field, they move to where they belong.
"use strict";
const Pad = (() => {
  const MINUS = "\u2212";
  // With this many players seated, a figure in the empty name field is a score.
  const TABLE = 2;
  const FIGURE = /^\s*[\p{Nd}½+\-\u2212\u2013.,]/u;
  const NO_FIGURE = /[^\p{Nd}½\s+\-\u2212\u2013.,'\u2019]/gu;
  const LETTER = /\p{L}/u;
  const FIND = { box: "find" };
  const RECORD = { box: "record" };
  const filled = (text, values) => interpolate(text, values, true);

  // Names, folded and compared as the server does (fold_accents, simplify_name, SimilarNames).
  const PLAIN = { ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D", ß: "ss", æ: "ae", Æ: "AE" };
  const MAX_SIMILAR = 3;
  const MIN_RATIO = 0.72;
  const fold = (text) =>
    text
      .replace(/[øØłŁđĐßæÆ]/g, (letter) => PLAIN[letter])
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{M}/gu, "")
      .trim()
      .replace(/\s+/g, " ");
  const words = (text) => fold(text).match(/[\p{L}\p{N}_]+/gu) || [];
  const initials = (name) =>
    words(name)
      .map((word) => [...word][0])
      .join("");

  // Python's difflib: twice the number of letters in common blocks, as a share of all letters.
  function ratio(one, other) {
    const count = (a, b) => {
      let size = 0,
        [i, j] = [0, 0],
        ends = [];
      a.forEach((letter, row) => {
        const now = [];
        b.forEach((same, column) => {
          if (letter !== same) return;
          now[column] = (ends[column - 1] || 0) + 1;
          if (now[column] > size) [size, i, j] = [now[column], row + 1, column + 1];
        });
        ends = now;
      });
      return size && size + count(a.slice(0, i - size), b.slice(0, j - size)) + count(a.slice(i), b.slice(j));
    };
    return (2 * count([...one], [...other])) / ([...one].length + [...other].length || 1);
  }

  // The few people with the most similar names.
  function findSimilar(people, text) {
    const key = words(text).join("-"),
      byText = new Map();
    for (const person of people)
      for (const form of new Set([words(person.name).join("-"), ...words(person.name), words(person.handle).join("-")]))
        if (form) byText.set(form, [...(byText.get(form) || []), person]);
    const close = [...byText.keys()]
      .map((form) => [ratio(form, key), form])
      .filter(([share]) => share >= MIN_RATIO)
      .sort(([share, form], [other, otherForm]) => other - share || (form < otherForm ? 1 : -1))
      .slice(0, 2 * MAX_SIMILAR)
      .map(([, form]) => form);
    // Typing errors are rarer in the first letter.
    const sameFirst = (form) => [...form][0] === [...key][0];
    const ordered = [...close.filter(sameFirst), ...close.filter((form) => !sameFirst(form))];
    return [...new Set(ordered.flatMap((form) => byText.get(form)))].slice(0, MAX_SIMILAR);
  }

  // Seats, boxes and sides. A box is found by its seat and its name.
  const rows = (state) => [...state.seats.keys()].filter((seat) => state.seats[seat].player);
  const getBox = (state, { seat, box }) => state.seats[seat].boxes[box];
  const isSame = (one, other) => one.seat === other.seat && one.box === other.box;
  const isOpen = (state, at) => !getBox(state, at).typed || !getBox(state, at).value.trim();
  const isSet = (box) => /^set_/.test(box);
  const isEmpty = (state, at) => !/[\p{Nd}½]/u.test(getBox(state, at).value) && !getBox(state, at).shown;
  const handleOf = (state, text) => state.called[text] || text;
  const nameOf = (state, handle) =>
    (
      state.people.find((person) => person.handle === handle) || {
        name: Object.keys(state.called).find((name) => state.called[name] === handle) || handle,
      }
    ).name;

  // For two players the default sides 1-1 do not apply.
  function sideOf(state, seat) {
    const text = (at) => (state.seats[at].boxes.side ? state.seats[at].boxes.side.value.trim() : ""),
      all = rows(state);
    return all.length === 2 && text(all[0]) === text(all[1]) ? "" : text(seat);
  }

  // Who plays with whom: the same text in whatever order the sides and their partners are.
  function writeSides(handles, sideAt) {
    const sides = new Map();
    handles.forEach((handle, at) => sides.set(sideAt(at), [...(sides.get(sideAt(at)) ?? []), handle]));
    return [...sides.values()]
      .map((side) => side.sort().join())
      .sort()
      .join(";");
  }

  // The box of each side: the filled one, else that of its first player. A player without partners is a side.
  function listSideBoxes(state) {
    const boxes = new Map();
    for (const seat of rows(state)) {
      const key = sideOf(state, seat) || seat,
        at = { seat, box: state.column };
      if (!boxes.has(key) || (!getBox(state, boxes.get(key)).value.trim() && getBox(state, at).value.trim()))
        boxes.set(key, at);
    }
    return boxes;
  }

  // The boxes in the order in which Enter visits them: columns of worksheets, or one score for each side.
  function listBoxes(state, from = null) {
    const bySheet =
      state.column === "score" &&
      state.sheets.length &&
      (from ? from.box !== "score" : !rows(state).some((seat) => state.seats[seat].boxes.score.value.trim()));
    // Both sides of a set, then those of the next one.
    if (bySheet && isSet(state.sheets[0])) {
      const seats = [...listSideBoxes(state).values()].map((at) => at.seat);
      return state.sheets.flatMap((box) => seats.map((seat) => ({ seat, box })));
    }
    return bySheet
      ? rows(state).flatMap((seat) => state.sheets.map((box) => ({ seat, box })))
      : [...listSideBoxes(state).values()];
  }

  // The owner of a box: the side's number or the player's name.
  function ownerOf(state, { seat }) {
    const side = sideOf(state, seat);
    return side ? filled(gettext("Team %(number)s"), { number: side }) : nameOf(state, state.seats[seat].player);
  }

  const focusOn = (state, focus) => ({ ...state, focus, selected: true });

  function write(state, at, value) {
    const box = { ...getBox(state, at), value, typed: Boolean(value.trim()) };
    const change = (seat) => ({ ...seat, boxes: { ...seat.boxes, [at.box]: box } });
    return { ...state, seats: state.seats.map((seat, row) => (row === at.seat ? change(seat) : seat)) };
  }

  // Places are proposed in the order of the seats; partners share the place of the first of them.
  function proposePlaces(state) {
    if (state.column !== "place") return state;
    const before = [],
      isTyped = (seat) => state.seats[seat].boxes.place.typed;
    let next = state;
    for (const seat of rows(state)) {
      const side = sideOf(state, seat);
      if (!side || !before.includes(side)) before.push(side);
      if (isTyped(seat) || (state.focus && isSame(state.focus, { seat, box: "place" }))) continue;
      const partner = side && rows(state).find((other) => sideOf(state, other) === side && isTyped(other));
      const value =
        partner === undefined || partner === ""
          ? String((side ? before.indexOf(side) : before.length - 1) + 1)
          : state.seats[partner].boxes.place.value;
      next = write(next, { seat, box: "place" }, value);
      getBox(next, { seat, box: "place" }).typed = false;
    }
    return next;
  }

  // Seating
  const tellFull = (state) => ({
    ...state,
    found: filled(
      ngettext(
        "The table is full: %(count)s player. Remove one first.",
        "The table is full: %(count)s players. Remove one first.",
        state.max,
      ),
      { count: state.max },
    ),
  });

  const tellSeated = (state, name) => ({
    ...state,
    offers: null,
    found: filled(gettext("%(name)s is already seated."), { name }),
  });

  // Whoever sits does not sit down again, and nobody at a full table: the state that says so, null for others.
  function refuse(state, player) {
    const handle = handleOf(state, player);
    if (rows(state).some((at) => handleOf(state, state.seats[at].player) === handle))
      return tellSeated(state, nameOf(state, handle));
    return rows(state).length >= state.max ? tellFull(state) : null;
  }

  const makeBoxes = (state) =>
    Object.fromEntries(Object.keys(state.seats[0].boxes).map((box) => [box, { value: "", typed: false, shown: "" }]));

  function put(state, player) {
    const refused = refuse(state, player);
    if (refused) return refused;
    const free = state.seats.findIndex((seat) => !seat.player),
      at = free < 0 ? state.seats.length : free,
      seats = [...state.seats];
    seats[at] = { boxes: makeBoxes(state), ...seats[at], player };
    return { ...state, seats };
  }

  // Go to the first open box, else to the button. On phones the taps give the places, so no keyboard is needed.
  function goToBox(state) {
    const open = state.column === "place" && state.touched ? null : listBoxes(state).find((at) => isOpen(state, at));
    return focusOn(state, open || RECORD);
  }

  // Go on after a player was seated: to the name field while the usual table has room, then to the scores.
  function goOn(state) {
    const next = { ...state, find: "", offers: null };
    if (rows(state).length >= state.usual) return goToBox(next);
    return state.touched ? next : focusOn(next, FIND);
  }

  // Two who are paired with each other sit as they are paired; only those who swap them turn the sides.
  function takeSides(state) {
    const at = rows(state),
      [first, second] = at.map((row) => handleOf(state, state.seats[row].player));
    if (at.length !== 2 || !state.pairings.some(([one, other]) => one === second && other === first)) return state;
    const seats = [...state.seats];
    [seats[at[0]], seats[at[1]]] = [seats[at[1]], seats[at[0]]];
    return { ...state, seats };
  }

  const seat = (state, player) => refuse(state, player) || goOn(takeSides(put(state, player)));
  const seatAll = (state, players) => goOn(players.reduce(put, state));
  const seatAgain = (state, players) => goOn(takeSides(players.reduce(put, state)));
  // A tap leaves the focus where it is until the table is full.
  function tap(state, player) {
    const next = refuse(state, player) || takeSides(put(state, player));
    return next.found || rows(next).length < next.usual ? next : goToBox(next);
  }

  function addNewcomer(state, name) {
    const next = seat(state, name);
    if (next.found) return next;
    const found = filled(gettext("%(name)s will be added as a new player with this game."), { name });
    return { ...next, newcomers: [...state.newcomers, name], found };
  }

  const findFree = (state) => {
    const taken = new Set(rows(state).map((at) => handleOf(state, state.seats[at].player)));
    return state.people.filter((person) => !taken.has(person.handle));
  };

  // The people whom a text may mean, best first: full names and handles; else initials and beginnings of names.
  function findMatches(state, text) {
    const wanted = fold(text),
      turned = words(text).sort().join(" "),
      free = findFree(state);
    const exact = free.filter((person) => fold(person.name) === wanted || fold(person.handle) === wanted);
    if (exact.length) return exact;
    const matching = free.filter(
      (person) =>
        !person.elsewhere &&
        (initials(person.name) === wanted ||
          fold(person.name).startsWith(wanted) ||
          words(person.name).some((word) => word.startsWith(wanted)) ||
          words(person.name).sort().join(" ") === turned),
    );
    // Matching initials come first, then players with a chip, then the others.
    const order = (person) => state.chips.indexOf(person.handle);
    const rank = (person) => (initials(person.name) === wanted ? 0 : 1e6) + (order(person) < 0 ? 1e5 : order(person));
    return matching.sort((person, other) => rank(person) - rank(other));
  }

  // The player whom initials seat by themselves. "Ab" is the beginning of a name, "ab" and "AB" are initials.
  function findByInitials(state, matching) {
    const wanted = fold(state.find),
      named = matching.filter((person) => initials(person.name) === wanted),
      withChip = named.filter((person) => state.chips.includes(person.handle)),
      candidates = withChip.length ? withChip : named;
    const isName = /^\p{Lu}\p{Ll}/u.test(state.find.trim());
    const goesOn = matching.some((person) => fold(person.name).startsWith(wanted));
    return [...wanted].length > 1 && candidates.length === 1 && !isName && !goesOn ? candidates[0] : null;
  }

  // What the text of the focused field means after a change.
  function settle(state) {
    const { focus } = state;
    if (!focus || focus.box === "record") return state;
    return proposePlaces(
      focus.box === "find" ? settleName({ ...state, touched: false, found: "", offers: null }) : settleBox(state),
    );
  }

  function settleName(state) {
    if (FIGURE.test(state.find) && rows(state).length >= TABLE) return moveFigures(state);
    if (!fold(state.find)) return state;
    if (rows(state).length >= state.max) return tellFull(state);
    const matching = findMatches(state, state.find),
      person = findByInitials(state, matching);
    if (person) return { ...seat(state, person.handle), byInitials: true };
    return { ...state, found: describeMatches(state, matching) };
  }

  function describeMatches(state, [person]) {
    if (person)
      return filled(
        person.elsewhere
          ? gettext("%(name)s plays in another league. Press Enter to seat them here.")
          : gettext("Press Enter to seat %(name)s."),
        { name: person.name },
      );
    if (!LETTER.test(state.find)) return gettext("Seat at least two players before the scores.");
    return state.closed ? gettext("No player here has this name.") : gettext("Press Enter.");
  }

  function moveFigures(state) {
    const at = listBoxes(state).find((each) => isOpen(state, each)),
      letters = (state.find.match(NO_FIGURE) || []).join("");
    if (!at) return { ...state, find: letters, found: gettext("Every player has a score. Change it at the seat.") };
    const value = state.find.replace(NO_FIGURE, "").replace("-", MINUS).trim();
    return { ...write(state, at, value), find: letters, focus: at, selected: false, why: "" };
  }

  // Letters typed into a score begin a name, which a full table refuses; the score stays as it was.
  const isName = (text) => LETTER.test(text) && !/[\p{Nd}½]/u.test(text);
  function moveLetters(state, letters) {
    const next = { ...state, find: letters.trim(), focus: FIND, selected: false, found: "", offers: null };
    return proposePlaces(settleName({ ...next, touched: false }));
  }

  function settleBox(state) {
    const at = state.focus,
      text = getBox(state, at).value,
      // "Anna12" at once, as by paste, is all a name; "12 a" is a score and the beginning of one.
      isAllName = isName(text) || (LETTER.test(text) && !FIGURE.test(text)),
      strange = isAllName ? text : (text.match(NO_FIGURE) || []).join(""),
      rest = isAllName ? "" : text.replace(NO_FIGURE, "").replace("-", MINUS),
      next = { ...write(state, at, rest), why: "" };
    return LETTER.test(strange) ? moveLetters(next, strange) : next;
  }

  function enter(state) {
    const { focus } = state;
    if (!focus || focus.box === "record") return state;
    return proposePlaces(focus.box === "find" ? enterName({ ...state, found: "" }) : enterBox(state));
  }

  function enterName(state) {
    const text = state.find.trim(),
      count = rows(state).length;
    if (!text && count >= state.min) return goToBox(state);
    if (!text) return count ? state : seatAgain(state, state.last);
    if (state.offers && state.offers.text === text) return choose(state, state.offers.people[0]);
    const [person] = findMatches(state, text);
    if (person) return seat(state, person.handle);
    const called = (handle) => [fold(nameOf(state, handle)), fold(handle)];
    if (rows(state).some((at) => called(handleOf(state, state.seats[at].player)).includes(fold(text))))
      return { ...tellSeated(state, text), selected: true };
    if (!LETTER.test(text)) return { ...state, found: describeMatches(state, []), selected: true };
    const people = findSimilar(
      findFree(state).filter((person) => !person.elsewhere),
      text,
    );
    if (!people.length && !state.closed) return addNewcomer(state, text);
    return { ...state, offers: { text, people }, selected: true };
  }

  const choose = (state, person) => (person ? seat(state, person.handle) : state);

  // Enter goes to the next box and never skips an empty one; after the last box it records the game.
  function enterBox(state) {
    const at = state.focus,
      boxes = listBoxes(state, at),
      own = boxes.find((each) => isSame(each, at)) || listSideBoxes(state).get(sideOf(state, at.seat) || at.seat);
    if (!boxes.length || !own) return focusOn(state, FIND);
    if (at.box === "side") return goToBox(state);
    const order = rows(state)
      .map((each) => state.seats[each].player)
      .join(" ");
    // Proposed places are checked by the user first.
    if (
      state.column === "place" &&
      order !== state.checked &&
      !rows(state).some((each) => state.seats[each].boxes.place.typed)
    ) {
      const why = gettext("The places follow the order of the seats. Check them, then press Enter.");
      return { ...state, checked: order, why };
    }
    // An empty field of the next set ends the match.
    if (isSet(at.box) && isEmpty(state, own)) {
      const set = boxes.filter((each) => each.box === own.box);
      if (own.box !== state.sheets[0] && set.every((each) => isEmpty(state, each))) return { ...state, act: "record" };
    }
    const after = isEmpty(state, own) ? own : boxes[boxes.findIndex((each) => isSame(each, own)) + 1],
      to = after || boxes.find((each) => isEmpty(state, each));
    if (!to) return { ...state, act: "record" };
    const isSkipped = isSame(to, own) || !after;
    const why = filled(gettext("%(owner)s: nothing entered yet."), { owner: ownerOf(state, to) });
    return focusOn(isSkipped ? { ...state, why, whyAt: to } : state, to);
  }

  // A key at the end of the focused field, or instead of its selected text.
  function press(state, key) {
    const { focus } = state;
    if (key === "Enter") return enter(state);
    if (!focus || focus.box === "record") return state;
    const text = state.selected ? "" : focus.box === "find" ? state.find : getBox(state, focus).value,
      typed = key === "Backspace" ? [...text].slice(0, -1).join("") : text + key,
      next = { ...state, selected: false };
    if (focus.box !== "find" && key !== "Backspace" && isName(key)) return moveLetters(state, key);
    return settle(focus.box === "find" ? { ...next, find: typed } : write(next, focus, typed));
  }

  return {
    MINUS,
    addNewcomer,
    choose,
    enter,
    findMatches,
    findSimilar,
    goOn,
    goToBox,
    handleOf,
    isName,
    listBoxes,
    moveLetters,
    nameOf,
    ownerOf,
    press,
    proposePlaces,
    seatAgain,
    seatAll,
    settle,
    sideOf,
    tap,
    writeSides,
  };
})();
