// plugin DIR CONFIG: a device plugin that offers google.com/tpu to the kubelet whose device plugins' folder is DIR.
// There are no chips: what a container gets is what CONFIG says, which is read again for every container.
//
//	{"chips": 4, "byChips": {"4": {"envs": {"NAME": "value"}, "mounts": {"/on/the/node": "/in/it"}, "cdi": ["vendor/class=name"]}}}
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	resource = "google.com/tpu"
	socket   = "tpu.sock"
	again    = 100 * time.Millisecond
)

type config struct {
	Chips   int
	ByChips map[string]struct {
		Envs   map[string]string
		Mounts map[string]string
		CDI    []string
	}
}

func read(path string) (found config, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	return found, err
}

type plugin struct {
	api.UnimplementedDevicePluginServer
	config string
}

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

// ListAndWatch says once which chips there are: none comes or goes.
func (p *plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	has, err := read(p.config)
	if err != nil {
		return err
	}
	var devices []*api.Device
	for number := range has.Chips {
		devices = append(devices, &api.Device{ID: strconv.Itoa(number), Health: api.Healthy})
	}
	if err := stream.Send(&api.ListAndWatchResponse{Devices: devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (p *plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	has, err := read(p.config)
	if err != nil {
		return nil, err
	}
	answer := &api.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		gets, known := has.ByChips[strconv.Itoa(len(container.DevicesIds))]
		if !known {
			return nil, fmt.Errorf("%s: nothing for %d chips", p.config, len(container.DevicesIds))
		}
		one := &api.ContainerAllocateResponse{Envs: gets.Envs}
		for node, inside := range gets.Mounts {
			one.Mounts = append(one.Mounts, &api.Mount{HostPath: node, ContainerPath: inside, ReadOnly: true})
		}
		for _, name := range gets.CDI {
			one.CdiDevices = append(one.CdiDevices, &api.CDIDevice{Name: name})
		}
		answer.ContainerResponses = append(answer.ContainerResponses, one)
	}
	return answer, nil
}

// A kubelet that starts removes all sockets of the folder: then it listens and registers anew.
func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: plugin DIR CONFIG")
	}
	folder := os.Args[1]
	for ; ; time.Sleep(again) {
		if err := serve(folder, os.Args[2]); err != nil {
			log.Print(err)
		}
	}
}

// Until our socket is gone.
func serve(folder, config string) error {
	path := filepath.Join(folder, socket)
	os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	defer server.Stop()
	api.RegisterDevicePluginServer(server, &plugin{config: config})
	go server.Serve(listener)
	for registered := false; ; time.Sleep(again) {
		if _, err := os.Stat(path); err != nil {
			return err
		}
		if !registered {
			registered = register(folder) == nil // a kubelet that is not there yet comes
		}
	}
}

func register(folder string) error {
	kubelet, err := grpc.NewClient("unix://"+filepath.Join(folder, "kubelet.sock"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer kubelet.Close()
	limit, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err = api.NewRegistrationClient(kubelet).Register(limit, &api.RegisterRequest{Version: api.Version, Endpoint: socket, ResourceName: resource})
	return err
}
