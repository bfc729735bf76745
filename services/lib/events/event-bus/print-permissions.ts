// Command: prints the NATS permissions of each user, in the format of docs/nats-permissions.json.
import { allPermissions } from './permissions.ts';

process.stdout.write(`${JSON.stringify(allPermissions(), undefined, 2)}\n`);
