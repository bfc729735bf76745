import { CommandFailure, type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { KubeTarget } from './kube-target.ts';

/** Explains why kubectl does not forward, from its standard error. */
export function explainKubectl(
  errorOutput: string,
  { context, namespace, release }: KubeTarget,
  service: string,
): CommandFailure {
  const details = errorOutput
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-3)
    .map((line) => `kubectl: ${line}`);
  const fail = (code: ExitCode, message: string) => new CommandFailure(code, message, details);
  if (/\(NotFound\).*namespaces? "/.test(errorOutput))
    return fail(exitCodes.usage, `${context} has no namespace ${namespace}`);
  if (errorOutput.includes('(NotFound)'))
    return fail(
      exitCodes.usage,
      `no service ${service} in ${context}/${namespace}: check --kube-release (${release}) against \`helm list\``,
    );
  if (/context .* does not exist|no context exists|context was not found/.test(errorOutput))
    return fail(exitCodes.usage, `kubectl has no context ${context}: run \`kubectl config get-contexts\``);
  if (errorOutput.includes('(Forbidden)'))
    return fail(exitCodes.notPermitted, `you may not forward ports in namespace ${namespace} of ${context}`);
  if (/\(Unauthorized\)|must be logged in|provide credentials/.test(errorOutput))
    return fail(exitCodes.notPermitted, `${context} rejected your credentials: log in to the cluster again`);
  if (/pod is not running|no pods? (?:found|available)|timed out waiting for the condition/.test(errorOutput))
    return fail(exitCodes.unavailable, `no pod of ${service} is running in ${context}/${namespace}`);
  return fail(exitCodes.unavailable, `kubectl cannot forward to ${service} in ${context}/${namespace}`);
}
