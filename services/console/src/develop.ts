import { serveSources } from './pages/serve-sources.ts';
import { runConsole } from './run-console.ts';

// Started instead of `main.ts` by `npm start -- --watch`, and in no image.
await runConsole((app, stopping) => serveSources(app, new URL('../web/', import.meta.url), stopping));
