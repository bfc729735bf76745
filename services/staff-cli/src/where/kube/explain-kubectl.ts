import { CommandFailure, type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { KubePlace } from './place.ts';

/** Explains why kubectl does not forward, from its standard error. */
export function explainKubectl(
  said: string,
  { context, namespace, release }: KubePlace,
  service: string,
): CommandFailure {
  const details = said
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-3)
    .map((line) => `kubectl: ${line}`);
  const fail = (code: ExitCode, message: string) => new CommandFailure(code, message, details);
  if (/\(NotFound\).*namespaces? "/.test(said))
    return fail(exitCodes.usage, `${context} has no namespace ${namespace}`);
  if (said.includes('(NotFound)'))
    return fail(
      exitCodes.usage,
      `there is no service ${service} in ${context}/${namespace}: \`helm list\` names releases, and --kube-release says which is meant (${release})`,
    );
  if (/context .* does not exist|no context exists|context was not found/.test(said))
    return fail(
      exitCodes.usage,
      `kubectl knows no context ${context}: \`kubectl config get-contexts\` lists them`,
    );
  if (said.includes('(Forbidden)'))
    return fail(
      exitCodes.notPermitted,
      `${context} does not permit you to forward ports in the namespace ${namespace}`,
    );
  if (/\(Unauthorized\)|must be logged in|provide credentials/.test(said))
    return fail(exitCodes.notPermitted, `${context} does not know you: log in to the cluster again`);
  if (/pod is not running|no pods? (?:found|available)|timed out waiting for the condition/.test(said))
    return fail(exitCodes.unavailable, `no pod of ${service} runs in ${context}/${namespace}`);
  return fail(exitCodes.unavailable, `kubectl cannot forward to ${service} in ${context}/${namespace}`);
}
