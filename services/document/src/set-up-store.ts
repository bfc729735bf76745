/** Command: makes the folders or buckets that documents are kept in. `SSS_STORE=… node src/set-up-store.ts` */
import { readCommandEnvironment } from '@supplier/lib/config';
import { runCommand } from '@supplier/lib/service-runtime';
import { readFlags } from './command-arguments.ts';
import { setUpObjectStore } from './object-store/index.ts';
import { storeConfig, storeVariables } from './object-store/store-config.ts';

const USAGE = `usage: set-up-store   makes the folders or buckets of SSS_STORE and leaves alone what is there

S3: run it with credentials that may make the buckets and set their lifecycle, in the files that
SSS_S3_QUARANTINE_CREDENTIALS_FILE and SSS_S3_CLEAN_CREDENTIALS_FILE name; the service itself needs less.`;

runCommand('set-up-store', async () => {
  readFlags(USAGE, []);
  const config = storeConfig(readCommandEnvironment(storeVariables));
  for await (const step of setUpObjectStore(config)) process.stdout.write(`${step}\n`);
});
