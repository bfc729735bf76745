import type { MessageInitShape } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { PreflightEndpointResponseSchema } from '@supplier/proto/webhook/v1/webhook';
import type { Context, Rpcs } from '../context.ts';
import { checkEndpointUrl } from '../model/endpoint-url.ts';
import { EXAMPLE_SECRET } from '../model/envelope.ts';
import { fingerprintOf } from '../model/signing.ts';
import { noEndpoint, requestedEnvironment } from '../requests.ts';
import { inTransaction } from '../store/database.ts';
import { findSigningKey, type SigningKey } from '../store/endpoints.ts';
import { secretAad } from '../store/sealed-values.ts';
import type { Preflight, PreflightReport } from './preflight.ts';

/** Maximum number of preflights in progress in the process: each holds a call and a connection for seconds. */
const MAX_CONCURRENT = 4;

/**
 * Tests the endpoint, or another URL instead: its addresses, its certificate, its response to a signed ping. Records no
 * event and no attempt; audits the caller and the target before anything is sent. Throws NOT_FOUND when there is
 * neither endpoint nor URL, SERVICE_UNAVAILABLE while four others are in progress. Implements docs/contract.md, section
 * 7.
 */
export function preflightEndpoint(
  { db, clock, keyRing, policy }: Context,
  preflight: Preflight,
): Rpcs['preflightEndpoint'] {
  let inProgress = 0;

  return async (request, call) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const key = await findSigningKey(db, accountId, environment);
    const url = request.url ?? key?.endpoint.url;
    if (url === undefined) throw noEndpoint();
    if (inProgress >= MAX_CONCURRENT) throw tooMany();

    inProgress += 1;
    try {
      const keyFingerprint = key?.endpoint.keyFingerprint ?? fingerprintOf(EXAMPLE_SECRET);
      const check = checkEndpointUrl(url, policy);
      await inTransaction(db, (tx) =>
        auditCall(tx, call, {
          at: clock.now(),
          target: key?.endpoint.endpointId ?? '',
          accountId,
          after: {
            ...(key ? { endpointId: key.endpoint.endpointId } : {}),
            environment,
            // A refused URL may contain anything, including credentials.
            url: check.ok ? check.url : '',
            keyFingerprint,
          },
        }),
      );
      const report = await preflight(url, { secret: secretOf(key), environment }, call.signal);
      const findings = [...report.findings, ...(key?.endpoint.enabled === false ? [DISABLED] : [])];
      return preflightMessage({ ...report, findings }, keyFingerprint);
    } finally {
      inProgress -= 1;
    }
  };

  function secretOf(key: SigningKey | undefined): string {
    if (!key) return EXAMPLE_SECRET;
    return Buffer.from(keyRing.open(key.sealedSecret, secretAad(key.endpoint.endpointId))).toString();
  }
}

const DISABLED = 'The endpoint is disabled. Nothing is recorded or sent until it is enabled.';

function tooMany() {
  return refuse(
    RefusalCode.SERVICE_UNAVAILABLE,
    'Four preflights are already in progress. Try again when one has ended.',
  );
}

type Message = Exclude<MessageInitShape<typeof PreflightEndpointResponseSchema>, { $typeName: string }>;

/** Returns the RPC message of a preflight result, signed with the key of `keyFingerprint`. */
export function preflightMessage(report: PreflightReport, keyFingerprint: string): Message {
  const { certificate, ping } = report;
  return {
    ready: report.ready,
    url: report.url,
    addresses: [...report.addresses],
    ...(certificate ? { certificate: certificateMessage(certificate) } : {}),
    ...(ping ? { ping: pingMessage(ping, keyFingerprint) } : {}),
    keyFingerprint,
    findings: [...report.findings],
  };
}

function certificateMessage(certificate: NonNullable<PreflightReport['certificate']>) {
  const { subject, issuer, tlsVersion, fault, notBefore, notAfter } = certificate;
  return {
    subject,
    issuer,
    tlsVersion,
    fault,
    // An untrusted certificate may contain an invalid time.
    ...(isTime(notBefore) ? { notBefore: toTimestamp(notBefore) } : {}),
    ...(isTime(notAfter) ? { notAfter: toTimestamp(notAfter) } : {}),
  };
}

function isTime(date: Date): boolean {
  return !Number.isNaN(date.getTime());
}

function pingMessage(ping: NonNullable<PreflightReport['ping']>, keyFingerprint: string) {
  const { dnsMs, connectMs, tlsMs, statusMs, answerHead } = ping;
  return {
    number: 0,
    startedAt: toTimestamp(ping.startedAt),
    endedAt: toTimestamp(ping.endedAt),
    ...(ping.statusCode === undefined ? {} : { statusCode: ping.statusCode }),
    errorClass: ping.error ?? '',
    keyFingerprint,
    ...(dnsMs === undefined ? {} : { dnsMs }),
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(tlsMs === undefined ? {} : { tlsMs }),
    ...(statusMs === undefined ? {} : { statusMs }),
    resolvedIp: ping.resolvedIp ?? '',
    tlsVersion: ping.tlsVersion ?? '',
    answerHead,
  };
}
