export { type ServiceParts, serve } from './serve.ts';
