// The controls of the pictures. All are ordinary form elements, so that they work with a keyboard.
import { h } from "./dom.js";
import { label } from "./text.js";

let made = 0;
const unique = () => `control-${++made}`;

// Makes the controls of one picture. Each control calls onchange after a change.
export function toolbar(onchange) {
    const element = h("div", { class: "controls" });
    const add = (...nodes) => element.append(h("div", { class: "control" }, ...nodes));
    return {
        element,
        choice(name, options, pick) {
            const id = unique();
            const select = h(
                "select",
                {
                    id,
                    onchange: () => {
                        pick(select.value);
                        onchange();
                    },
                },
                ...options.map(([value, text]) => h("option", { value }, text)),
            );
            add(h("label", { for: id }, name), select);
        },
        slider(name, steps, first, pick) {
            const id = unique();
            const shown = h("output", { for: id }, steps[first]);
            const input = h("input", {
                id,
                type: "range",
                min: 0,
                max: steps.length - 1,
                step: 1,
                value: first,
                "aria-valuetext": steps[first],
            });
            input.addEventListener("input", () => {
                shown.textContent = steps[input.value];
                input.setAttribute("aria-valuetext", steps[input.value]);
                pick(Number(input.value));
                onchange();
            });
            element.append(
                h("div", { class: "control slider" }, h("label", { for: id }, name), shown, input),
            );
        },
        checks(name, entries, pick) {
            const box = ([text, key], i) => {
                const input = h("input", {
                    type: "checkbox",
                    id: unique(),
                    checked: true,
                    onchange: () => {
                        pick(i, input.checked);
                        onchange();
                    },
                });
                return h(
                    "span",
                    { class: "check" },
                    input,
                    h(
                        "label",
                        { for: input.id },
                        h("span", { class: `key ${key}`, "aria-hidden": "true" }),
                        text,
                    ),
                );
            };
            element.append(
                h("fieldset", { class: "checks" }, h("legend", {}, name), ...entries.map(box)),
            );
        },
    };
}

function checklist(name, labels, chosen, apply) {
    const boxes = labels.map((text, i) => {
        const input = h("input", {
            type: "checkbox",
            id: unique(),
            checked: chosen.includes(i),
            onchange: apply,
        });
        return {
            input,
            row: h(
                "span",
                { class: "check" },
                input,
                h("label", { for: input.id }, label(text, 40)),
            ),
            find: text.toLowerCase(),
        };
    });
    const list = h(
        "fieldset",
        { class: "checks list" },
        h("legend", { class: "unseen" }, name),
        ...boxes.map(({ row }) => row),
    );
    return { boxes, list };
}

function finder(name, boxes) {
    const id = unique();
    const input = h("input", {
        type: "search",
        id,
        autocomplete: "off",
        oninput: () => {
            const words = input.value.trim().toLowerCase();
            for (const { row, find } of boxes) row.hidden = !find.includes(words);
        },
    });
    return h("div", { class: "control" }, h("label", { for: id }, `Find ${name}`), input);
}

// Makes a list of classes or groups with a box to tick for each:
//     filter("Classes", labels, chosen, [["All", […]]], apply)
export function filter(name, labels, chosen, shortcuts, apply) {
    const state = h("span", {});
    const status = h("p", { class: "unseen", role: "status" });
    const say = (n) => {
        state.textContent = `${name}: ${n} of ${labels.length}`;
    };
    const update = () => {
        const picked = [...boxes.keys()].filter((i) => boxes[i].input.checked);
        say(picked.length);
        status.textContent = `Showing ${picked.length} of ${labels.length} ${name.toLowerCase()}`;
        apply(picked);
    };
    const { boxes, list } = checklist(name, labels, chosen, update);
    const button = ([text, indices]) =>
        h(
            "button",
            {
                type: "button",
                onclick: () => {
                    boxes.forEach(({ input }, i) => {
                        input.checked = indices.includes(i);
                    });
                    update();
                },
            },
            text,
        );
    say(chosen.length);
    return h(
        "details",
        { class: "filter" },
        h("summary", {}, state),
        h(
            "div",
            { class: "pane" },
            ...(labels.length > 12 ? [finder(name.toLowerCase(), boxes)] : []),
            h("div", { class: "buttons" }, ...shortcuts.map(button)),
            list,
            status,
        ),
    );
}
