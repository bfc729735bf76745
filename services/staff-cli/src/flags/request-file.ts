import { readFileSync, statSync } from 'node:fs';
import { type DescMessage, fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';
import { withEnumConstants } from '@supplier/lib/text/enum-spelling';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * Reads a request in protobuf's JSON, with enums spelled as users do or as constants, from a file of at most 1 MiB or,
 * for `-`, from the standard input. Throws CommandFailure.
 */
export function readRequest(schema: DescMessage, path: string): JsonObject {
  const from = path === '-' ? 'standard input' : path;
  try {
    if (path !== '-' && statSync(path).size > MAX_BYTES) throw new Error('it is larger than 1 MiB');
    const json: JsonValue = JSON.parse(readFileSync(path === '-' ? 0 : path, 'utf8'));
    const message = fromJson(schema, withEnumConstants(schema, json));
    return toJson(schema, message, { useProtoFieldName: true }) as JsonObject;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(exitCodes.usage, `cannot read a request from ${from}: ${reason}`);
  }
}
