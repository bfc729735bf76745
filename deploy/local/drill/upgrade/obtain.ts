// Makes the release before this one, so that a test need not: `node deploy/local/drill/upgrade/obtain.ts`.
import { resolve } from 'node:path';
import { reasonOf } from '../../terminal.ts';
import { previousRelease } from './previous-release.ts';

try {
  const made = await previousRelease(resolve(import.meta.dirname, '../../../..'), console.log);
  console.log('missing' in made ? made.missing : `the release before this one: ${made.checkout}`);
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
