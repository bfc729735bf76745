export { type EventSettings, type ServiceConfig, serviceConfig, serviceVariables } from './service-config.ts';
export { runCommand, runProcess, type ServiceProcess } from './service-process.ts';
