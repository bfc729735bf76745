// How the console's application is built: `dist/pages`, which its process serves, and `dist/made-of.json`, the list of
// bundled files, from which image builds determine whose code they redistribute. Assets are named by their contents and
// also stored compressed.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const dist = join(import.meta.dirname, '..', 'dist');
const pages = join(dist, 'pages');

/** Matches files by the packages, folders and modules that they belong to. */
const inside = (...parts) => new RegExp(parts.join('|'));
const components = (...names) => `/@mantine/core/esm/components/(?:${names.join('|')})/`;
const ours = (folder, ...names) => `/web/src/${folder}(?:${names.join('|')})[.]tsx?$`;

/**
 * What is loaded together, so that few requests fill a page. A list needs the first two and its own file. What is in no
 * group has a file of its own if several screens use it.
 */
const groups = [
  {
    ...{ name: 'libraries', priority: 3 },
    test: inside(
      '/node_modules/(?:react(?!-number)[a-z-]*|scheduler|clsx|tslib|use-[a-z-]+|get-nonce)/',
      '/node_modules/@(?:tanstack|connectrpc|bufbuild)/|vite/preload-helper',
    ),
  },
  {
    ...{ name: 'lists', priority: 2, includeDependenciesRecursively: false },
    test: inside(
      '/@mantine/hooks/|/@mantine/core/esm/core/|/@mantine/core/esm/utils/(?!Floating)',
      components('Alert|AppShell|Badge|Box|Breadcrumbs|Burger|Button|Checkbox|CloseButton|Code|CopyButton'),
      components(
        'FloatingIndicator|Group|Input|InputBase|Kbd|Loader|Paper|ScrollArea/utils|SegmentedControl',
      ),
      components('Skeleton|Stack|Text|TextInput|Title|Transition|UnstyledButton'),
      '/proto/gen/|/services/lib/',
      ours('', '(?!main[.])[^/]*'),
      ours('shell/', '(?!palette|find-)[^/]*'),
      ours('actions/', 'use-frozen'),
      ours('components/', 'business|chosen-columns|columns?|copy|data-rows|data-table|drop-down'),
      ours('components/', 'earlier-submission|failed|filter-bar|kept-place|load-error|money|mono'),
      ours('components/', 'mean-height|new-rows|on-demand|page-header|paged-list|panel|saved-views'),
      ours(
        'components/',
        'scroll-region|selected-keys|selection|simple-table|status-badge|supplier-[a-z]+|time',
      ),
      ours('screens/', 'policies/policy-kinds|submissions/selected-counts'),
    ),
  },
  {
    ...{ name: 'dialogs', priority: 1, includeDependenciesRecursively: false, minShareCount: 2 },
    test: inside(
      '/@floating-ui/|/@mantine/core/esm/utils/Floating',
      components('Accordion|ActionIcon|Collapse|Drawer|FocusTrap|Menu|Modal|ModalBase|NativeSelect|Overlay'),
      components('Popover|Portal|ScrollArea|Tabs|Textarea|Tooltip|VisuallyHidden'),
      '/web/src/actions/',
      ours('components/', 'facts|fields|purpose-field|revealed|tab-list|use-reveal'),
    ),
  },
  {
    ...{ name: 'figures', priority: 1, includeDependenciesRecursively: false, minShareCount: 2 },
    test: inside(
      components('ColorSwatch|Grid|Progress|SimpleGrid'),
      ours('components/', 'cap-bar|chart|chart-props|delivery-figure|figure|outcome-panel'),
      ours('screens/', 'approvals/approval-badge|overview/overview-queries'),
      ours('screens/webhooks/', 'attempt|endpoint-health|failing-detail|use-endpoint-health'),
    ),
  },
  {
    ...{ debugName: 'screens', includeDependenciesRecursively: false, entriesAware: true, minShareCount: 2 },
    name: (id) => /\/web\/src\/screens\/([a-z-]+)\//.exec(id)?.[1].concat('-parts'),
  },
];

/**
 * Puts the style sheet behind the frame, which is painted without it, and before the application, whose own styles
 * follow it. Scripts run once it has loaded.
 */
const frameFirst = {
  name: 'frame-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const [sheet = ''] = /<link rel="stylesheet"[^>]*>\n?/.exec(html) ?? [];
      return html.replace(sheet, '').replace('<div id="app">', `${sheet.trim()}\n    $&`);
    },
  },
};

const compressAndList = {
  name: 'compress-and-list',
  apply: 'build',
  async writeBundle(_options, bundle) {
    const assets = join(pages, 'assets');
    await Promise.all((await readdir(assets)).map((name) => compress(join(assets, name))));
    const rendered = Object.values(bundle).flatMap(({ modules = {} }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
    );
    const styles = [...this.getModuleIds()].filter((id) => id.endsWith('.css'));
    const styled = rendered.flatMap((id) => /@mantine\/core\/.*\/(\w+)\.module\.mjs$/.exec(id)?.[1] ?? []);
    const imported = await readFile(join(import.meta.dirname, 'src', 'mantine.css'), 'utf8');
    const lacks = styled.filter((name) => !imported.includes(`/${name}.css`));
    if (lacks.length > 0) this.error(`mantine.css lacks the style sheets of ${lacks.join(', ')}`);
    // Modules of the bundler itself have no path.
    const files = [...new Set([...rendered, ...styles])].filter(isAbsolute);
    await writeFile(join(dist, 'made-of.json'), JSON.stringify(files.map((path) => relative(dist, path))));
  },
};

async function compress(path) {
  const bytes = await readFile(path);
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

export default defineConfig({
  plugins: [react(), frameFirst, compressAndList],
  build: {
    outDir: pages,
    emptyOutDir: true,
    // Those with `light-dark()`, which the style sheets keep.
    target: ['es2023', 'chrome123', 'firefox120', 'safari17.5'],
    // The content security policy admits no fonts or styles in URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups } }, checks: { pluginTimings: false } },
  },
});
