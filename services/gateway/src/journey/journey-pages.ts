import { randomUUID } from 'node:crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { toDate } from '@supplier/lib/text/time';
import type { JourneyLink } from '@supplier/proto/submission/v1/journey_links';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import { renderError } from '../errors/render-error.ts';
import { toPublicError } from '../errors/to-public-error.ts';
import { type Page, pageHeaders, renderPage } from './layout.ts';
import { CONFIRMATION, closedPage, openingPage, UNAVAILABLE, UNKNOWN } from './pages.ts';

const PATH = '/journey/:token';
/** Possible tokens; anything else is rejected without a call. */
const TOKEN = /^[A-Za-z0-9_-]{22,128}$/;
/** The form has no fields. */
const MAX_FORM_BYTES = 1024;
const RETRY_AFTER_S = '5';

type Needs = Pick<Context, 'config' | 'log' | 'submission'>;

/**
 * Serves the pages of journey links. Opening a page shows its purpose and does not redeem the link; its button redeems
 * the link and continues with a one-time code. URLs contain tokens and are never logged. While production is closed,
 * every page returns 503. Implements docs/contract.md, section 3.
 */
export function serveJourneyPages(app: FastifyInstance, { config, log, submission }: Needs): void {
  const headers = pageHeaders(config.journeyUrl);
  const show = (reply: FastifyReply, status: number, page: Page) =>
    reply.code(status).headers(headers).send(renderPage(page));
  const unavailable = (reply: FastifyReply) =>
    show(reply.header('retry-after', RETRY_AFTER_S), 503, UNAVAILABLE);

  app.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, _body, done) => done(null, null),
    );
    // A production gateway that is not open yet is closed to applicants too. Address limits apply first.
    if (!config.open) pages.addHook('onRequest', async (_request, reply) => unavailable(reply));
    pages.setErrorHandler((thrown, request, reply) => {
      const error = toPublicError(thrown);
      if (error.code !== 'service_unavailable') return renderError(reply, error);
      log.warn({ err: error.cause ?? thrown, route: PATH, request_id: request.id }, 'dependency unavailable');
      return unavailable(reply);
    });

    pages.route<{ Params: { token: string } }>({
      method: ['GET', 'HEAD'],
      url: PATH,
      handler: async ({ params }, reply) => {
        const link = await find(params.token);
        if (!link) return show(reply, 404, UNKNOWN);
        const closed = closedPage(link.state);
        return closed ? show(reply, 410, closed) : show(reply, 200, opening(link));
      },
    });

    pages.post<{ Params: { token: string } }>(PATH, async ({ params }, reply) => {
      const code = await redeem(params.token);
      if (code !== undefined) {
        if (!config.journeyUrl) return show(reply, 200, CONFIRMATION);
        return reply.headers(headers).redirect(forwardUrl(config.journeyUrl, code), 303);
      }
      const link = await find(params.token);
      if (!link) return show(reply, 404, UNKNOWN);
      const closed = closedPage(link.state);
      // The two answers can differ for a moment if the clocks of two processes differ.
      return closed ? show(reply, 410, closed) : unavailable(reply);
    });
  });

  /** Returns the link of a token; undefined for a token that was never issued. */
  async function find(token: string): Promise<JourneyLink | undefined> {
    if (!TOKEN.test(token)) return undefined;
    try {
      return await submission.getJourneyLink({ token, environment: config.environment });
    } catch (error) {
      if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return undefined;
      throw outage(error);
    }
  }

  /**
   * Redeems a link for the code that the journey application exchanges; returns undefined when the link is closed or
   * was never issued.
   */
  async function redeem(token: string): Promise<string | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const { environment } = config;
    try {
      // After a broken connection the client retries once with the same id, so that the retry recognises its own
      // redemption.
      const { code } = await submission.redeemJourneyLink({ token, environment, callId: randomUUID() });
      return code;
    } catch (error) {
      const code = refusalOf(error)?.code;
      if (code === RefusalCode.NOT_FOUND || code === RefusalCode.WRONG_STATE) return undefined;
      throw outage(error);
    }
  }
}

/** Returns the URL of the journey application with the code and no other customer data. */
function forwardUrl(journeyUrl: string, code: string): string {
  const url = new URL(journeyUrl);
  url.searchParams.set('code', code);
  return url.href;
}

function opening({ kind, expiresAt }: JourneyLink): Page {
  if (!expiresAt) throw new Error('invariant violated: journey link without an expiry');
  return openingPage(kind, toDate(expiresAt));
}

const outage = (cause: unknown) => new PublicError('service_unavailable', { cause });
