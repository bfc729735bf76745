export { tlsConnector } from './connector.ts';
export { type NamedFile, named, type TlsFiles, tlsFiles, tlsVariables } from './settings.ts';
export { MIN_TLS_VERSION, REREAD_MS, TlsFileReader } from './tls-file-reader.ts';
