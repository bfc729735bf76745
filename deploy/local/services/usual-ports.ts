/** Ports that the stack uses when they are free. */
export const usualPorts = {
  gateway: 8080,
  pages: 8081,
  production: 8090,
  productionPages: 8091,
  gatewayPrivate: 8082,
  productionPrivate: 8093,
  console: 8083,
  consolePrivate: 8084,
  uploads: 8092,
  receiver: 8443,
  receiverEvents: 8444,
  accountHttp1: 21001,
  submissionHttp1: 21002,
  documentHttp1: 21003,
  billingHttp1: 21004,
  webhookHttp1: 21005,
  scannerHttp1: 21006,
  accountH2c: 21011,
  submissionH2c: 21012,
  documentH2c: 21013,
  billingH2c: 21014,
  webhookH2c: 21015,
  scannerH2c: 21016,
  postgres: 21032,
  nats: 21022,
  clamd: 21023,
  collector: 21024,
  login: 21025,
} as const;

export type PortName = keyof typeof usualPorts;
export const portNames = Object.keys(usualPorts) as PortName[];
