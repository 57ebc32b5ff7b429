package codextest
import ("testing";"os";"os/exec";"bufio";"fmt";"encoding/json";"strings";"time")
func TestExp(t *testing.T){
 srv:=NewModelServer(t,func(n int,b []byte)Answer{
   if n==0 {return Answer{Items:[]string{"first item. "},Chunks:[]string{"sec","ond"},Cut:true}}
   return Answer{Items:[]string{"first item. "},Chunks:[]string{"sec","ond ","item"},Usage:[2]int{3,4}}})
 cfg,_:=os.ReadFile("/work/shared/fixtures/codex/config.toml")
 c:=strings.ReplaceAll(string(cfg),"http://127.0.0.1:8787",srv.URL)
 c=os.Getenv("EXTRA")+"\n"+c
 home:=t.TempDir(); os.WriteFile(home+"/config.toml",[]byte(c),0o600)
 cmd:=exec.Command("/work/main/test/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex","app-server","--strict-config")
 cmd.Env=append(os.Environ(),"CODEX_HOME="+home)
 in,_:=cmd.StdinPipe(); out,_:=cmd.StdoutPipe(); cmd.Stderr=os.Stderr
 if err:=cmd.Start();err!=nil{t.Fatal(err)}
 defer cmd.Process.Kill()
 sc:=bufio.NewScanner(out); sc.Buffer(nil,1<<24)
 send:=func(s string){fmt.Fprintln(in,s)}
 send(`{"method":"initialize","id":0,"params":{"clientInfo":{"name":"gw","title":null,"version":"0"},"capabilities":{"experimentalApi":true,"requestAttestation":false}}}`)
 send(`{"method":"initialized"}`)
 model:=os.Getenv("MODEL"); 
 send(fmt.Sprintf(`{"method":"thread/start","id":1,"params":{"cwd":%q,"ephemeral":true,"baseInstructions":"BASE","developerInstructions":"DEV","modelProvider":"loopretry"%s}}`,home,model))
 time.AfterFunc(8*time.Second,func(){cmd.Process.Kill()})
 for sc.Scan(){ l:=sc.Text()
  var m struct{ID *int; Method string; Result struct{Thread struct{ID string}}}
  json.Unmarshal([]byte(l),&m)
  if len(l)>600 {l=l[:600]}
  fmt.Println(l)
  if m.ID!=nil&&*m.ID==1 { send(fmt.Sprintf(`{"method":"turn/start","id":2,"params":{"threadId":%q,"input":[{"type":"text","text":"hi"}]}}`,m.Result.Thread.ID)) }
  if m.Method=="turn/completed" {break}
 }
 for _,b:=range srv.Requests(){ 
   var m map[string]any; json.Unmarshal(b,&m)
   fmt.Println("REQ", m["model"], "tools:", m["tools"])
   for _,it:=range m["input"].([]any){ im:=it.(map[string]any); if im["tools"]!=nil { tb,_:=json.Marshal(im["tools"]); fmt.Println("INPUT-TOOLS", string(tb)[:min(700,len(tb))], len(tb)) } else { ib,_:=json.Marshal(im); fmt.Println("INPUT",string(ib)[:min(300,len(ib))]) } }
 }
}
