/** The whole style of the page. Wide things scroll in themselves, so that the page never does sideways. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #f3f5f7; --line: #c9d0d8; --link: #0b57a4; --quiet: #4d5761; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --paper: #14171a; --soft: #1f2429; --line: #3d454d; --link: #8cc2ff; --quiet: #aeb7c0; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 52rem; margin: 0 auto; padding: 0 1rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem; background: var(--paper); }
h1 { margin: 1.5rem 0 .25rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .5rem; border-bottom: 2px solid var(--line); }
h3 { margin: 2.5rem 0 .25rem; }
h4 { margin: 1.5rem 0 .25rem; }
nav ul { padding: 0; list-style: none; }
nav li a { display: block; padding: .5rem 0; }
code, pre { font: .9rem/1.45 ui-monospace, monospace; }
.call { display: block; padding: .5rem .75rem; background: var(--soft); border-left: 4px solid var(--link); }
pre { margin: .5rem 0; padding: .75rem; overflow-x: auto; background: var(--soft); white-space: pre; overflow-wrap: normal; }
dl { margin: .5rem 0; }
dt { padding-top: .6rem; border-top: 1px solid var(--line); }
dt code { font-weight: 700; }
dd { margin: 0 0 .6rem 0; }
.quiet { color: var(--quiet); }
.must { font-weight: 700; }
summary { padding: .5rem 0; cursor: pointer; }
`;
