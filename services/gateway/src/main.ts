import { runProcess } from '@supplier/lib/service-runtime';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { openContext } from './context.ts';
import { buildPages } from './pages/app.ts';

runProcess('gateway', async (gateway) => {
  const config = readConfig();
  gateway.log.level = config.logLevel;
  const context = openContext(gateway, config);
  const api = buildApp(context);
  const pages = buildPages(context, () => api.server.listening && !gateway.stopping.aborted);

  // The pages stop last: until then they say that the process is no longer ready.
  gateway.onStop('pages listener', () => pages.close());
  await pages.listen({ host: config.host, port: config.pagesPort });
  gateway.onStop('API listener', () => api.close());
  await api.listen({ host: config.host, port: config.httpPort });
});
