export { type Configured, configureStreams } from './all-streams.ts';
export { type KeepOptions, keepStreams } from './keep-streams.ts';
