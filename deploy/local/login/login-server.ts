import { createServer, type RequestListener, type Server } from 'node:http';
import { loginUrl } from './clients.ts';

/**
 * Where staff log in to a local stack, on this machine only. There is nothing to prove: anyone who reaches the page can
 * log in under any name. An identity provider does this elsewhere. `identity` is the folder of the stack's issuer. What
 * it answers with is loaded by its first request: hardly any stack has one, and each would hold it in memory.
 */
export function loginServer(port: number, identity: string): Server {
  let opened: Promise<RequestListener> | undefined;
  return createServer((request, response) => {
    opened ??= openLogin(port, identity);
    opened.then(
      (answer) => answer(request, response),
      (error: unknown) => {
        opened = undefined;
        console.error(
          `cannot open the login page: ${error instanceof Error ? error.message : String(error)}`,
        );
        response.writeHead(500).end();
      },
    );
  });
}

async function openLogin(port: number, identity: string): Promise<RequestListener> {
  const [{ openTokenIssuer }, { loginAt }] = await Promise.all([
    import('../identity/token-issuer.ts'),
    import('./login-at.ts'),
  ]);
  return loginAt(loginUrl(port), await openTokenIssuer(identity));
}
