import { renderStatus } from '@supplier/lib/status-object';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { FastifyReply } from 'fastify';
import { sendJson } from './send-json.ts';

/** Answers with the status object. Implements docs/contract.md, section 3. */
export function sendStatus(
  reply: FastifyReply,
  code: 200 | 202,
  submission: SubmissionStatus,
  arrivalScreenUrl?: string,
): FastifyReply {
  return sendJson(reply, code, JSON.stringify(renderStatus(submission, arrivalScreenUrl)));
}
