import { servePages } from './pages/serve-pages.ts';
import { runConsole } from './run-console.ts';

await runConsole((app) => servePages(app, new URL('../dist/pages/', import.meta.url)));
