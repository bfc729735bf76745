// Command: prints the accounts and permissions of the NATS users, in the format of docs/nats-permissions.json.
import { natsAccounts } from './permissions.ts';

const accounts = natsAccounts((user) => ({ user }));
process.stdout.write(`${JSON.stringify({ accounts }, undefined, 2)}\n`);
