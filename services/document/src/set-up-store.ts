/** Command: creates the directories or buckets for documents. `SSS_STORE=… node src/set-up-store.ts` */
import { print, runCommand } from '@supplier/lib/runtime/command';
import { readCommandEnvironment } from '@supplier/lib/runtime/config';
import { setUpObjectStore } from './object-store/index.ts';
import { storeConfig, storeVariables } from './object-store/store-config.ts';

const USAGE = `usage: set-up-store
  Creates the directories or buckets of SSS_STORE. Existing ones stay as they are.
  S3: needs credentials that may create buckets and change their lifecycle, in the files
  SSS_S3_QUARANTINE_CREDENTIALS_FILE and SSS_S3_CLEAN_CREDENTIALS_FILE. The service itself needs fewer permissions.`;

runCommand('set-up-store', { usage: USAGE, flags: {} }, async () => {
  const config = storeConfig(readCommandEnvironment(storeVariables));
  for await (const step of setUpObjectStore(config)) print(step);
});
