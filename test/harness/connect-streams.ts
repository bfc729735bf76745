import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Route } from 'playwright-core';

/** The content of the end-of-stream message of a complete stream. */
const END = Buffer.from('{}');

export const bytesOf = <Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): Buffer =>
  Buffer.from(toBinary(schema, message));

/** Returns the request message of a stream, as bytes. */
export const askedOf = (route: Route): Buffer =>
  (route.request().postDataBuffer() ?? Buffer.alloc(0)).subarray(HEAD_BYTES);

/** Responds as a service would: with these messages, then the end of the stream unless `isWhole` is false. */
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

/** Frames a message as Connect does on the wire: flags, length, content. */
function frame(flags: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(flags);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}
