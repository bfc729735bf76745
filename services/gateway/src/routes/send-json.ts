import type { FastifyReply } from 'fastify';

/** Answers with a success of the public contract, whose JSON is already text. No cache may keep it. */
export function sendJson(reply: FastifyReply, code: 200 | 202, json: string): FastifyReply {
  return reply
    .code(code)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(json);
}
