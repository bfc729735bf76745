// Logging in to a local stack, on this machine only. Takes a port and the folder of the stack's issuer as its arguments.
// There is nothing to prove: whoever reaches the page becomes whoever they say. An identity provider does this elsewhere.
import { createServer } from 'node:http';
import { openTokenIssuer } from '../identity/token-issuer.ts';
import { deviceLogins } from './device-logins.ts';
import { answerLogin } from './endpoints.ts';
import { loginUrl } from './program.ts';

const [port = '', identity = ''] = process.argv.slice(2);
const issuer = await openTokenIssuer(identity);
const logins = deviceLogins({ issue: issuer.staffTokenOf, now: Date.now });
const server = createServer(answerLogin(loginUrl(Number(port)), logins));
server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(signal, () => process.exit(0));
