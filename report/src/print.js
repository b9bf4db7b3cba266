// On paper every fold is open.
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
