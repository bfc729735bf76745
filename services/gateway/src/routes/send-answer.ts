import { renderStatus } from '@supplier/lib/text/status-object';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { FastifyReply } from 'fastify';

/** Answers with the status object. Implements docs/contract.md, section 3. */
export function sendStatus(
  reply: FastifyReply,
  code: 200 | 202,
  submission: SubmissionStatus,
  arrivalScreenUrl?: string,
): FastifyReply {
  return sendJson(reply, code, JSON.stringify(renderStatus(submission, arrivalScreenUrl)));
}

/** Answers with a success of the public contract, whose JSON is already text. No cache may keep it. */
export function sendJson(reply: FastifyReply, code: 200 | 202, json: string): FastifyReply {
  return reply
    .code(code)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(json);
}
