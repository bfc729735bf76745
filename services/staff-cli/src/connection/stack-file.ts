import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { loginSchema } from './context-schema.ts';

const url = z.url();

/** The part of a local stack's description that the command line needs. */
const stackSchema = z.object({
  rpc: z.object({ account: url, submission: url, document: url, billing: url, webhook: url }),
  tls: z.object({ authority: z.string(), certificate: z.string(), key: z.string() }).optional(),
  staffToken: z.string().min(1),
  login: loginSchema.optional(),
});
export type StackFile = z.infer<typeof stackSchema>;

/** Reads the description of a running local stack. Throws CommandFailure. */
export function readStackFile(path: string): StackFile {
  try {
    return stackSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new CommandFailure(exitCodes.usage, `no local stack at ${path}: start one with \`npm start\``);
    throw new CommandFailure(exitCodes.usage, `${path} does not describe a local stack`);
  }
}
