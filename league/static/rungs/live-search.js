// A search form that fills a part of its page while one types; without this script its button sends it.
for (const form of document.querySelectorAll("form[data-live]")) {
  let timer = 0;
  let latest = 0;
  const refresh = async () => {
    const asked = ++latest;
    const address = `${location.pathname}?${new URLSearchParams(new FormData(form))}`;
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok || asked !== latest) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById(form.dataset.live).replaceWith(page.getElementById(form.dataset.live));
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => refresh().catch(() => {}), 250);
  });
}
