// Command: prints what each user may do on NATS, as docs/nats-permissions.json has it.
import { allPermissions } from './permissions.ts';

process.stdout.write(`${JSON.stringify(allPermissions(), undefined, 2)}\n`);
