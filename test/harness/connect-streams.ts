import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Route } from 'playwright-core';

/** The content of the message that ends a stream which came whole. */
const END = Buffer.from('{}');

export const bytesOf = <Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): Buffer =>
  Buffer.from(toBinary(schema, message));

/** What a page has asked a stream for, in the bytes of its message. */
export const askedOf = (route: Route): Buffer =>
  (route.request().postDataBuffer() ?? Buffer.alloc(0)).subarray(HEAD_BYTES);

/** Answers for a service: with these messages, and the end of the stream unless it is cut off behind them. */
export const answerStream = (route: Route, messages: readonly Buffer[], isWhole = true): Promise<void> =>
  route.fulfill({
    contentType: 'application/connect+proto',
    body: Buffer.concat([
      ...messages.map((message) => frame(0, message)),
      ...(isWhole ? [frame(END_FLAG, END)] : []),
    ]),
  });

const HEAD_BYTES = 5;
const END_FLAG = 2;

/** A message of a stream as Connect puts it on the wire: flags, length, content. */
function frame(flags: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(flags);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}
