import type { FastifyInstance } from 'fastify';
import { html } from './reference/html.ts';

/** Where to write: an email address, or the URL of a page. */
export type Support = string | undefined;

/** Serves `/support`: to whom a supplier writes. The guides lead here, so that they are the same in every deployment. */
export function serveSupport(app: FastifyInstance, support: Support): void {
  const page = pageOf(support);
  app.get('/support', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      })
      .send(page),
  );
}

function pageOf(support: Support): string {
  const where =
    support === undefined
      ? html`Write to the person at our side who opened your account.`
      : html`Write to <a href="${linkOf(support)}">${support}</a>.`;
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Support</title>
<h1>Support</h1>
<p>${where}</p>
<p>Name the <code>X-Request-Id</code> of the answer, or the <code>Svc-Webhook-Id</code> of the event. Never send a credential or a signing secret.</p>
<p><a href="/guides/">Guides</a></p>
</html>
`.text;
}

const linkOf = (support: string) => (support.includes('://') ? support : `mailto:${support}`);
