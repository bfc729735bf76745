export { drainHttp, PUBLIC_DRAIN } from './drain-http.ts';
export { bareApp, pageRoutes } from './pages.ts';
export { listenPrivately } from './private-listener.ts';
export { lackIn, NotReady, type Readiness, readinessLog } from './readiness.ts';
export {
  type EventSettings,
  type PlainListeners,
  type ServiceConfig,
  serviceConfig,
  serviceVariables,
  type TlsListener,
} from './service-config.ts';
export { runCommand, runProcess, type ServiceProcess } from './service-process.ts';
export { type StopHook, type StopStage, StopStages } from './stop-stages.ts';
