// Opens a <details> element when a link leads to something inside it.
export function links() {
    const reveal = (hash) => {
        const target = hash && document.getElementById(hash.slice(1));
        const fold = target && target.closest("details:not([open])");
        if (!fold) return;
        fold.open = true;
        target.scrollIntoView();
    };
    addEventListener("click", ({ target }) => reveal(target.closest("a[href^='#']")?.hash));
    addEventListener("hashchange", () => reveal(location.hash));
    reveal(location.hash);
}
