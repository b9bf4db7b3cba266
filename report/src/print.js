// Opens every <details> element while the page is printed.
export function print() {
    let opened = [];
    addEventListener("beforeprint", () => {
        opened = [...document.querySelectorAll("details:not([open]):not(.filter)")];
        for (const details of opened) details.open = true;
    });
    addEventListener("afterprint", () => {
        for (const details of opened) details.open = false;
    });
}
