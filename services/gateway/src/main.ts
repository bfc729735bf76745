import { drainHttp, runProcess } from '@supplier/lib/service-runtime';
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
  const drainPages = drainHttp(pages.server);
  gateway.onStop('pages listener', () => drainPages().then(() => pages.close()), 'connections');
  await pages.listen({ host: config.host, port: config.pagesPort });
  const drainApi = drainHttp(api.server);
  gateway.onStop('API listener', () => drainApi().then(() => api.close()), 'listeners');
  await api.listen({ host: config.host, port: config.httpPort });
});
