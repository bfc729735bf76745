import { create, type DescMethod, type Message, toJson } from '@bufbuild/protobuf';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import type { Caller } from './calls/caller.ts';
import { ownerOf } from './services.ts';

const rpc = ApprovalService.method.requestApproval;

/** Returns whether a command is an action that may need a second person's approval. */
export const supportsApproval = ({ input, parent }: DescMethod): boolean =>
  parent.typeName !== ApprovalService.typeName && input.fields.some(({ name }) => name === 'approval_id');

/** Asks the action's service for approval of exactly this request. Returns the pending approval. */
export async function askApproval(
  method: DescMethod,
  request: Message,
  purpose: string,
  caller: Caller,
): Promise<{ readonly schema: typeof rpc.output; readonly answer: Message }> {
  const service = ownerOf(method.parent);
  const argumentsJson = JSON.stringify(toJson(method.input, request));
  const approvalRequest = create(rpc.input, { action: method.name, argumentsJson, purpose });
  const at = service === undefined ? caller : caller.at(service);
  return { schema: rpc.output, answer: await at.unary(rpc, approvalRequest) };
}
