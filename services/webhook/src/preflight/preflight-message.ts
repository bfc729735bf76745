import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import type { PreflightEndpointResponseSchema } from '@supplier/proto/webhook/v1/webhook';
import type { PreflightReport } from './preflight.ts';

type Message = Exclude<MessageInitShape<typeof PreflightEndpointResponseSchema>, { $typeName: string }>;

/** The result of a preflight, signed with the key of `keyFingerprint`, as RPCs return it. */
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
    // An untrusted certificate may hold an invalid time.
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
