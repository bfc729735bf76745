import { readFileSync } from 'node:fs';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import { CONSOLE_CLIENT } from '../../deploy/local/login/clients.ts';
import { openBrowser } from '../harness/browser.ts';
import { complaintsOf, logIn } from '../harness/console.ts';
import type { ApiClient } from './cluster.ts';
import { onLocalhost } from './on-localhost.ts';
import { OUTSIDE } from './outside.ts';

/** The port at which the browser finds the console, as forwarded by `kubectl port-forward`. */
const PORT = 8083;
const WAIT_MS = 60_000;
const AUTHORITY = 'trial-authority';
const MOUNT = '/mnt/authority';

/** Chart values of a process that trusts the authority of hosts outside the cluster. */
export const TRUSTS_OUTSIDE = {
  extraVolumes: [{ name: 'authority', configMap: { name: AUTHORITY } }],
  extraVolumeMounts: [{ name: 'authority', mountPath: MOUNT, readOnly: true }],
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: `${MOUNT}/ca.crt` }],
};

/** Where staff log in: the login of the local stack, outside the cluster. */
export const LOGIN = `https://${OUTSIDE.login.host}`;

/** Returns the chart values of a console that uses this login. Its process must trust what is outside. */
export async function consoleValues(api: ApiClient, namespace: string, { authority }: Certificates) {
  await api.post(`/api/v1/namespaces/${namespace}/configmaps`, {
    metadata: { name: AUTHORITY },
    data: { 'ca.crt': readFileSync(authority, 'utf8') },
  });
  const oidc = { issuer: LOGIN, clientId: CONSOLE_CLIENT };
  return { enabled: true, url: `http://localhost:${PORT}`, oidc };
}

/**
 * Logs in to the console in a browser and opens two screens. Rejects when part of a screen fails or violates the page's
 * policy.
 */
export async function lookedAt(host: string, submissionId: string): Promise<void> {
  const browser = await openBrowser();
  try {
    return await onLocalhost({ [PORT]: { host, port: 80 } }, async () => {
      // Browsers don't know the identity provider's certificate authority.
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      context.setDefaultTimeout(WAIT_MS);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const first = await page.goto(`http://localhost:${PORT}/`);
      const policy = (await first?.headerValue('content-security-policy')) ?? '';
      if (!policy.startsWith("default-src 'none'")) throw new Error(`the page's policy is ${policy}`);
      await page.waitForURL((url) => url.origin === LOGIN);
      await logIn(page, 'ada', 'staff:admin');
      const isShown = async (screen: string) => {
        await page.locator('main section').first().waitFor();
        await page.locator('section[aria-busy="true"]').first().waitFor({ state: 'detached' });
        const alerts = await page.getByRole('alert').allTextContents();
        if (alerts.length > 0) throw new Error(`${screen} says ${alerts.join('; ')}`);
      };
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await isShown('today');
      await page.getByRole('heading', { name: 'Awaiting decision' }).first().waitFor();
      await page.goto(`http://localhost:${PORT}/submissions/${submissionId}`);
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await isShown('the submission');
      await page.getByText('Accepted', { exact: true }).first().waitFor();
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    });
  } finally {
    await browser.close();
  }
}
