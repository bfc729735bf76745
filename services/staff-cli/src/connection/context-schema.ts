import { z } from 'zod';
import { KUBE_NAME, KUBE_RELEASE } from './kube/kube-target.ts';

/** Placeholder for a service's name in an address or host name. */
export const SERVICE = '{service}';

const url = z.url({ protocol: /^https?$/ });
/** One address for all services, or a template with the placeholder. */
const urls = z.string().refine((text) => url.safeParse(text.replaceAll(SERVICE, 'account')).success, {
  message: `Invalid URL: must be like https://${SERVICE}.example:8443`,
});
const file = z.string().min(1);

/** TLS settings: PEM files of the trusted authority and of the client certificate, and the server's name. */
const tls = {
  serverName: z.string().min(1).optional(),
  authority: file.optional(),
  certificate: file.optional(),
  key: file.optional(),
};

/** Settings for OAuth's device flow. */
export const loginSchema = z.strictObject({
  /** Address of the issuer, where its metadata is found. */
  issuer: url,
  clientId: z.string().min(1),
  scope: z.string().min(1).optional(),
  /** Audience of the tokens, for issuers that require it. */
  audience: z.string().min(1).optional(),
});
export type Login = z.infer<typeof loginSchema>;

/** The address of one service and settings that differ from the others'. */
const ofService = z.strictObject({ url: url.optional(), ...tls });
export type ServiceEntry = z.infer<typeof ofService>;
const service = z.union([url.transform((address): ServiceEntry => ({ url: address })), ofService]).optional();

export const contextSchema = z.strictObject({
  /** gRPC addresses: one for all services, and overrides per service. */
  url: urls.optional(),
  services: z
    .strictObject({
      account: service,
      submission: service,
      document: service,
      billing: service,
      webhook: service,
    })
    .default({}),
  ...tls,
  /** A cluster whose services are reached through kubectl port-forward. */
  kube: z
    .strictObject({
      context: z.string().min(1),
      namespace: z.string().regex(KUBE_NAME),
      release: z.string().regex(KUBE_RELEASE),
    })
    .optional(),
  login: loginSchema.optional(),
});
export type ContextEntry = z.infer<typeof contextSchema>;
export const CONTEXT_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
