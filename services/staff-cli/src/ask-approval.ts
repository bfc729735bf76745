import { create, type DescMethod, type Message, toJson } from '@bufbuild/protobuf';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import type { Caller } from './calls/caller.ts';
import { ownerOf } from './services.ts';

const rpc = ApprovalService.method.requestApproval;

/** Whether a command is an act that a second person may have to approve. */
export const takesApproval = ({ input, parent }: DescMethod): boolean =>
  parent.typeName !== ApprovalService.typeName && input.fields.some(({ name }) => name === 'approval_id');

/** Asks the service of an act that somebody else approves the request as it is. Resolves to what waits from then on. */
export async function askApproval(
  method: DescMethod,
  request: Message,
  purpose: string,
  caller: Caller,
): Promise<{ readonly schema: typeof rpc.output; readonly answer: Message }> {
  const service = ownerOf(method.parent);
  const argumentsJson = JSON.stringify(toJson(method.input, request));
  const asked = create(rpc.input, { action: method.name, argumentsJson, purpose });
  const at = service === undefined ? caller : caller.at(service);
  return { schema: rpc.output, answer: await at.unary(rpc, asked) };
}
