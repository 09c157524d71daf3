// The key of the score pad that puts the seated players into fair teams. Uses the names of pad.js; without scripts, the
// fields for teams do.
"use strict";
{
  const key = document.getElementById("fair");
  const told = document.getElementById("fair-told");
  const teamOf = (line) => field(line, "side").value.trim();
  // As many teams as the seats have now; a pad begins with two.
  const countTeams = () => Math.max(2, new Set(seated().map(teamOf).filter(Boolean)).size);
  const share = (expected) =>
    new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(expected);

  async function makeFairTeams() {
    const answer = await fetch(key.dataset.balance, {
      method: "POST",
      body: JSON.stringify({
        players: seated().map((line) => player(line).value.trim()),
        sides: countTeams(),
        count: 1,
      }),
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        "X-CSRFToken": form.elements.csrfmiddlewaretoken.value,
      },
    });
    const found = await answer.json();
    if (!answer.ok) {
      told.textContent = found.detail;
      return;
    }
    const { sides } = found.splits[0];
    for (const line of seated()) {
      const at = sides.findIndex((side) => side.players.includes(player(line).value.trim()));
      field(line, "side").value = at + 1;
      typed.add(field(line, "side"));
    }
    renumber();
    told.textContent = filled(gettext("Expected shares of the points: %(shares)s."), {
      shares: sides.map((side) => share(side.expected)).join(" – "),
    });
  }

  key.hidden = false;
  key.addEventListener("click", async () => {
    told.textContent = "";
    if (seated().length < 2) {
      told.textContent = gettext("Seat the players first.");
      return;
    }
    key.disabled = true;
    try {
      await makeFairTeams();
    } catch {
      told.textContent = gettext("There is no connection; fair teams need one.");
    } finally {
      key.disabled = false;
    }
  });
}
