export { inboxPrefixOf, natsConnectOptions } from './connect-options.ts';
export { type CredentialsFile, openCredentialsFile } from './credentials.ts';
export { type NatsAccess, natsAccess, natsVariables } from './settings.ts';
