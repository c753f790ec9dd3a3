export { FakeClock } from "./fake-clock.ts";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  ScriptedModel,
  type ScriptedStep,
} from "./scripted-model.ts";
