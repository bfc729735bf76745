import { rpcAccess } from '@supplier/lib/rpc/rpc-client';
import { drainHttp, listenPrivately, PUBLIC_DRAIN, runProcess } from '@supplier/lib/runtime/service-runtime';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { buildPages } from './pages/pages-app.ts';
import { serviceReadiness } from './readiness.ts';

runProcess('gateway', async (gateway) => {
  const config = readConfig();
  gateway.log.level = config.logLevel;
  const context = createContext(config, gateway);
  const api = buildApp(context);
  const services = serviceReadiness(
    { account: config.accountUrl, submission: config.submissionUrl, document: config.documentUrl },
    rpcAccess(config, gateway.log),
  );
  const ready = () => (api.server.listening && !gateway.stopping.aborted ? services() : { ready: false });
  const pages = buildPages(context, new URL('../guides/', import.meta.url));

  // Health checks stop last: until then they report that the process is no longer ready.
  const { host, httpPort, pagesPort, privatePort } = config;
  const listener = await listenPrivately(
    { log: gateway.log, metrics: gateway.metrics, ready },
    { host, port: privatePort },
  );
  gateway.onStop(
    'private listener',
    () => {
      listener.close();
      listener.closeAllConnections();
    },
    'connections',
  );
  const drainPages = drainHttp(pages.server);
  gateway.onStop('pages listener', () => drainPages().then(() => pages.close()), 'connections');
  await pages.listen({ host, port: pagesPort });
  const drainApi = drainHttp(api.server, PUBLIC_DRAIN);
  gateway.onStop('API listener', () => drainApi().then(() => api.close()), 'listeners');
  await api.listen({ host, port: httpPort });
});
